"""Hostile input: what somebody who means harm, or knows no better, may put in the way of a run."""
