"""A session that lets something out, or that the cluster would start again, is refused; all reasons at once."""

import pytest

from safetab_sql.cluster.spark import SETTINGS, Spark, failure, leaks, safe_settings, spark_problems
from safetab_sql.kit.errors import ClusterFaultError, InputError

READS = Spark(reads_records=True)
NAMES = [setting.name for setting in SETTINGS]
SAFE = {**safe_settings(Spark()), "spark.master": "local[2]"}


def wheres(settings: dict[str, str], accepted: tuple[str, ...] = (), command_line: tuple[str, ...] = ()) -> list[str]:
    return [problem.where for problem in leaks(settings, Spark(accepted=accepted), command_line)]


def test_a_session_with_the_settings_that_we_make_is_not_refused():
    assert wheres(SAFE, (), ("java", "-Xmx1g")) == []


def test_a_session_that_says_nothing_is_refused_with_all_that_spark_leaves_open_at_once():
    assert set(wheres({})) == {
        "spark.authenticate",
        "spark.network.crypto.enabled",
        "spark.network.crypto.saslFallback",
        "spark.io.encryption.enabled",
        "spark.ui.enabled",
        "spark.master.rest.enabled",
        "spark.log.level",
        "spark.executor.syncLogLevel.enabled",
    }


@pytest.mark.parametrize("name", NAMES)
def test_each_setting_is_looked_at_and_can_be_accepted(name):
    weak = {**SAFE, name: {"true": "false", "false": "true"}.get(SAFE.get(name, ""), "info")}
    (problem,) = leaks(weak, Spark(), ())
    assert problem.where == name
    assert f"--accept-spark-setting {name}" in problem.fix
    assert wheres(weak, (name,)) == []


@pytest.mark.parametrize("name", NAMES)
def test_what_the_custodian_accepts_is_left_as_the_cluster_has_it(name):
    assert name not in safe_settings(Spark(accepted=(name,)))


def test_where_spark_reads_records_these_leak_too_and_its_errors_which_quote_them_are_not_logged():
    names = {"spark.authenticate", "spark.network.crypto.enabled", "spark.io.encryption.enabled"}
    for reads_records, told in ((True, "records and counts"), (False, " counts")):
        problems = leaks({}, Spark(reads_records=reads_records), ())
        assert {each.where for each in problems if told in each.what} >= names
        assert not [each for each in problems if "{" in each.what]
    assert safe_settings(READS)["spark.log.level"] == "fatal"
    assert leaks({**SAFE, **safe_settings(READS)}, READS, ()) == []
    assert "spark.log.level" not in safe_settings(Spark(accepted=("spark.log.level",), reads_records=True))


def test_spelling_does_not_matter():
    assert wheres({**SAFE, "spark.authenticate": "TRUE", "spark.log.level": "Warn"}) == []


@pytest.mark.parametrize(
    ("name", "value", "master"),
    [
        ("spark.driver.supervise", "true", "spark://host:7077"),
        ("spark.submit.deployMode", "cluster", "yarn"),
        ("spark.yarn.maxAppAttempts", "2", "yarn"),
        ("spark.yarn.maxAppAttempts", None, "yarn"),
    ],
)
def test_a_driver_that_the_cluster_may_start_again_is_refused_whatever_is_accepted(name, value, master):
    whole = {**SAFE, "spark.master": master, "spark.yarn.maxAppAttempts": "1"}
    assert wheres(whole, NAMES) == []
    changed = {key: text for key, text in {**whole, name: value}.items() if text is not None}
    assert wheres(changed, NAMES) == [name]


@pytest.mark.parametrize("word", ["spark.authenticate.secret=abc", "-Dx=hunter2"])
def test_a_secret_on_the_command_line_is_refused_and_not_repeated(word):
    (problem,) = leaks({**SAFE, "spark.authenticate.secret": "hunter2"}, Spark(), ("java", word))
    assert problem.where == "spark.authenticate.secret"
    assert "hunter2" not in str(problem)


def test_a_setting_that_nobody_checks_cannot_be_accepted():
    told = [problem.what for problem in spark_problems(Spark(accepted=("spark.ui.enabled", "spark.ui")))]
    said = [what for what in told if "pyspark" not in what and "Java" not in what]
    assert said == ["spark.ui is no setting that is checked"]


@pytest.mark.parametrize(
    ("said", "kind", "told"),
    [
        ("py4j ... part 3 could not be counted: IOException\n at x", ClusterFaultError, "part 3 .*: IOException"),
        ("ModuleNotFoundError: No module named 'safetab_sql'", InputError, "have no safetab_sql"),
        ("org.apache.spark.SparkException: QAGE=117", ClusterFaultError, "Spark gave up: SparkException$"),
        ("QAGE=117", ClusterFaultError, "did not say why"),
    ],
)
def test_of_what_spark_says_only_classes_and_modules_are_told(said, kind, told):
    error = failure(said)
    assert type(error) is kind
    with pytest.raises(kind, match=told):
        raise error
    assert "117" not in str(error)


@pytest.mark.parametrize(
    "said",
    [
        "[CAST_INVALID_INPUT] The value '117' of the type",
        "Job aborted: Lost task (TID 3): org.apache.spark.SparkNumberFormatException: [CAST_INVALID_INPUT] '117'",
    ],
)
def test_of_a_table_that_spark_cannot_read_the_condition_is_told(said):
    error = failure(said, "Spark table census.persons")
    assert isinstance(error, InputError)
    assert str(error).startswith("Spark table census.persons: cannot be read by Spark: CAST_INVALID_INPUT\n")
    assert "117" not in str(error)
    assert type(failure(said)) is ClusterFaultError
