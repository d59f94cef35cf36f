"""What a clustering found, for programs as JSON and for people as text."""

from kgroups.report.certificate_report import CertificateReport
from kgroups.report.cluster_count_report import ClusterCountReport
from kgroups.report.cluster_profile import ClusterProfile, Deviation, Prevalence
from kgroups.report.cluster_report import ClusterReport
from kgroups.report.community_profile import CommunityProfile, CommunityScores, Member
from kgroups.report.community_report import CommunityReport
from kgroups.report.curved_report import CurvedReport
from kgroups.report.energy_test_report import EnergyTestReport
from kgroups.report.in_words import describe_metric
from kgroups.report.known_labels import Scores, label_scores
from kgroups.report.prediction_report import PredictionReport
from kgroups.report.run_record import RunRecord
from kgroups.report.stream_report import StreamReport
from kgroups.runtime.show_versions import versions

__all__ = [
    "CertificateReport",
    "ClusterCountReport",
    "ClusterProfile",
    "ClusterReport",
    "CommunityProfile",
    "CommunityReport",
    "CommunityScores",
    "CurvedReport",
    "Deviation",
    "EnergyTestReport",
    "Member",
    "PredictionReport",
    "Prevalence",
    "RunRecord",
    "Scores",
    "StreamReport",
    "describe_metric",
    "label_scores",
    "versions",
]
