"""Which settings of a Spark session shut what would let counts or secrets out, and which of them a session misses."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from safetab_sql.kit.errors import Problem


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting. safe: values that are accepted, in small letters; the first is the one that we set.

    default: what Spark takes where nothing is said. leak: what happens otherwise. {counts}: also records,
    where Spark reads them.
    """

    name: str
    safe: tuple[str, ...]
    default: str
    leak: str


SETTINGS = (
    Setting("spark.authenticate", ("true",), "false", "whoever reaches its ports can ask for {counts}"),
    Setting("spark.network.crypto.enabled", ("true",), "false", "{counts} cross the network in the clear"),
    Setting("spark.network.crypto.saslFallback", ("false",), "true", "whoever fails to encrypt is served in the clear"),
    Setting("spark.io.encryption.enabled", ("true",), "false", "{counts} that go to disks lie there in the clear"),
    Setting("spark.eventLog.enabled", ("false",), "false", "sizes and durations, which follow the records, are kept"),
    Setting("spark.ui.enabled", ("false",), "true", "a web page shows sizes and durations, which follow the records"),
    Setting("spark.master.rest.enabled", ("false",), "true", "its master takes programs from anybody who reaches it"),
    Setting("spark.log.level", ("error", "fatal", "off", "warn"), "info", "logs tell sizes of counts"),
    Setting("spark.executor.syncLogLevel.enabled", ("true",), "false", "logs of the workers tell sizes of counts"),
    Setting("spark.python.profile", ("false",), "false", "profiles of the workers are printed"),
    Setting("spark.python.profile.memory", ("false",), "false", "profiles of the workers are printed"),
    Setting("spark.extraListeners", ("",), "", "a program of others is told of every task"),
    Setting("spark.plugins", ("",), "", "a program of others runs on the driver and the workers"),
)
_NAMES = {setting.name: setting for setting in SETTINGS}
_SECRET = "spark.authenticate.secret"  # noqa: S105  (the name of the setting)
# A driver that the cluster starts again would draw noise again.
_NO_RESTART = (
    ("spark.submit.deployMode", "client", "client"),
    ("spark.driver.supervise", "false", "false"),
)


def safe_settings(accepted: Collection[str], *, reads_records: bool = False) -> dict[str, str]:
    """What a session is started with. accepted: settings that stay as the cluster has them.

    reads_records: whether Spark reads the records, and not our tasks alone: its errors quote values, and are then not
    logged.
    """
    safe = {setting.name: setting.safe[0] for setting in SETTINGS if setting.name not in accepted and setting.safe[0]}
    quiet = {"spark.log.level": "fatal"} if reads_records and "spark.log.level" in safe else {}
    return {**safe, **quiet, "spark.ui.showConsoleProgress": "false"}


def accepted_leaks(accepted: Collection[str], *, reads_records: bool) -> list[str]:
    """A line about each accepted setting, and what it may let out. reads_records: as of `safe_settings`."""
    return [
        f"{name}: otherwise than {_NAMES[name].safe[0] or 'empty'}, {_leak(_NAMES[name], reads_records)}"
        for name in accepted
    ]


def unknown_settings(accepted: Collection[str]) -> list[Problem]:
    """A problem for each accepted setting that is never looked at."""
    fix = f"name one of {', '.join(_NAMES)}"
    where = "--accept-spark-setting"
    return [Problem(where, f"{name} is no setting that is checked", fix) for name in accepted if name not in _NAMES]


def leaks(
    settings: Mapping[str, str], accepted: Collection[str], command_line: Sequence[str], *, reads_records: bool = False
) -> list[Problem]:
    """A problem for each setting of a session that lets something out, or lets the cluster start its driver again.

    settings: all that the session was started with. accepted: names of those that the custodian accepts as they are.
    command_line: of the driver. reads_records: as of `safe_settings`.
    """
    problems = [
        Problem(setting.name, f"is {_said(settings, setting)}: {_leak(setting, reads_records)}", _fix(setting))
        for setting in SETTINGS
        if setting.name not in accepted and _said(settings, setting).lower() not in setting.safe
    ]
    for name, default, wanted in _NO_RESTART:
        if (said := settings.get(name, default).lower()) != wanted:
            what = f"is {said}: a driver that is started again draws noise again"
            problems.append(Problem(name, what, f"say {name}={wanted}, or leave it out"))
    attempts = settings.get("spark.yarn.maxAppAttempts", "1" if _of_one_driver(settings) else "")
    if attempts != "1":
        what = f"is {attempts or 'not said'}: a driver that is started again draws noise again"
        problems.append(Problem("spark.yarn.maxAppAttempts", what, "say spark.yarn.maxAppAttempts=1"))
    secret = settings.get(_SECRET)
    if any(f"{_SECRET}=" in word or (secret is not None and secret in word) for word in command_line):
        fix = "write it to spark-defaults.conf (mode 0600) in SPARK_CONF_DIR, and take another secret"
        problems.append(Problem(_SECRET, "stands on the command line of the driver, which others can read", fix))
    return problems


def _leak(setting: Setting, reads_records: bool) -> str:
    return setting.leak.format(counts="records and counts" if reads_records else "counts")


def _of_one_driver(settings: Mapping[str, str]) -> bool:
    return not settings.get("spark.master", "").startswith("yarn")


def _said(settings: Mapping[str, str], setting: Setting) -> str:
    return settings.get(setting.name, setting.default)


def _fix(setting: Setting) -> str:
    wanted = f"say {setting.name}={setting.safe[0]}" if setting.safe[0] else f"leave out {setting.name}"
    return f"{wanted}, or accept it: --accept-spark-setting {setting.name}"
