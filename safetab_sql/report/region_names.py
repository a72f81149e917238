"""Names of the regions that the report shows one by one. A release has their codes alone."""

from safetab_sql.public.states import STATE_NAMES


def region_name(region_type: str, region_id: str) -> str:
    """The name of the nation or a state; of any other region its type and id."""
    if region_type == "USA":
        return "United States"
    is_state = region_type in ("STATE", "PR-STATE")
    return STATE_NAMES.get(region_id, f"{region_type} {region_id}") if is_state else f"{region_type} {region_id}"
