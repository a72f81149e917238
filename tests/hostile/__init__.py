"""Hostile input: what somebody who means harm, or knows no better, may give a run to break it."""
