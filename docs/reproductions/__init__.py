"""Each printed figure of the sources beside ours. A page here, such as haney.md, is written by the code of its name."""
