"""`python -m safetab_sql` is `safetab-sql`."""

from safetab_sql.cli import entry_point

entry_point()
