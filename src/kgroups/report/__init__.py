"""What a clustering found, for programs as JSON and for people as text."""

from kgroups.report.communities import CommunityReport
from kgroups.report.community_profile import CommunityProfile, CommunityScores, Member
from kgroups.report.energy_test import EnergyTestReport
from kgroups.report.metric import describe_metric
from kgroups.report.profile import ClusterProfile, Deviation
from kgroups.report.scores import Scores, label_scores
from kgroups.report.summary import ClusterReport
from kgroups.report.text import bold, joined
from kgroups.text import aligned, counted

__all__ = [
    "ClusterProfile",
    "ClusterReport",
    "CommunityProfile",
    "CommunityReport",
    "CommunityScores",
    "Deviation",
    "EnergyTestReport",
    "Member",
    "Scores",
    "aligned",
    "bold",
    "counted",
    "describe_metric",
    "joined",
    "label_scores",
]
