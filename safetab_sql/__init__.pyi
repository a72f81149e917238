from safetab_sql.accounting.ledger_file import LedgerFile as LedgerFile
from safetab_sql.evaluation.evaluate import evaluate as evaluate
from safetab_sql.evaluation.ground_truth import ground_truth as ground_truth
from safetab_sql.histograms.bottom_up import BottomUpInputs as BottomUpInputs, bottom_up as bottom_up
from safetab_sql.histograms.synthesize import SynthesisInputs as SynthesisInputs, synthesize as synthesize
from safetab_sql.jobs.example import example as example
from safetab_sql.jobs.export import export as export
from safetab_sql.jobs.new import TheirFiles as TheirFiles, new as new
from safetab_sql.jobs.plan import account as account, plan as plan
from safetab_sql.jobs.reconcile import reconcile as reconcile
from safetab_sql.jobs.release import Release as Release, describe as describe, open_release as open_release
from safetab_sql.jobs.run import run as run, validate as validate
from safetab_sql.jobs.report import ExactFolders as ExactFolders, report as report
from safetab_sql.jobs.schema import schema as schema
from safetab_sql.jobs.semantics import BudgetSource as BudgetSource, semantics as semantics
from safetab_sql.jobs.statistics import moe as moe, statistics as statistics, sum_of_release as sum_of_release
from safetab_sql.jobs.strategy import strategy as strategy
from safetab_sql.jobs.targets import census_settings as census_settings, loss_target as loss_target
from safetab_sql.jobs.targets import settings_of as settings_of, targets as targets
from safetab_sql.kit.database import Resources as Resources
from safetab_sql.kit.errors import InputError as InputError, Problem as Problem
from safetab_sql.public.inputs import InputPaths as InputPaths
from safetab_sql.settings.parameters import load_parameters as load_parameters
from safetab_sql.semantics.composition import privacy_loss as privacy_loss
from safetab_sql.simulation.simulate import simulate as simulate
