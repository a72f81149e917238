"""`schema`: JSON Schemas, with which editors complete and check files."""

from safetab_sql.commands.options import Commands, new_command
from safetab_sql.jobs.schema import SCHEMAS, schema_text


def add_schema(commands: Commands) -> None:
    """`schema`: print the JSON Schema of a kind of file."""
    summary = "print the JSON Schema of a kind of file, with which editors complete and check it"
    command = new_command(commands, "schema", summary, "parameters")
    what = "which file: parameters of `run`, the specification of a method, an allocation, or a manifest"
    command.add_argument("name", choices=tuple(SCHEMAS), metavar="NAME", help=f"{what} ({', '.join(SCHEMAS)})")
    command.set_defaults(command=lambda options: print(schema_text(options.name), end=""))
