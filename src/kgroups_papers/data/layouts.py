"""How the tables of UCI are laid out in their archives, and what their features are called."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Lines of fields between commas or blanks; lines that are not numbers are headings."""

    #: The files of the archive, in the order of the rows.
    members: tuple[str, ...]
    features: tuple[str, ...]
    #: The field with the first feature, and the one with the class.
    first: int = 0
    label: int = -1
    #: The classes of equally many rows after each other, where no field has them.
    blocks: tuple[str, ...] = ()


def _numbered(prefix: str, numbers: range, width: int = 0) -> tuple[str, ...]:
    return tuple(f"{prefix}{number:0{width}d}" for number in numbers)


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_BANDS = _numbered("b", range(1, 10))

LAYOUTS: dict[str, Layout] = {
    "dermatology": Layout(
        members=("dermatology.data",),
        features=_words(
            """
            erythema scaling definite_borders itching koebner_phenomenon polygonal_papules
            follicular_papules oral_mucosal_involvement knee_and_elbow_involvement
            scalp_involvement family_history melanin_incontinence eosinophils_in_the_infiltrate
            PNL_infiltrate fibrosis_of_the_papillary_dermis exocytosis acanthosis hyperkeratosis
            parakeratosis clubbing_of_the_rete_ridges elongation_of_the_rete_ridges
            thinning_of_the_suprapapillary_epidermis spongiform_pustule munro_microabcess
            focal_hypergranulosis disappearance_of_the_granular_layer
            vacuolisation_and_damage_of_basal_layer spongiosis saw_tooth_appearance_of_retes
            follicular_horn_plug perifollicular_parakeratosis inflammatory_monoluclear_inflitrate
            band_like_infiltrate Age
            """
        ),
    ),
    "libras_movement": Layout(
        members=("movement_libras.data",), features=_numbered("f", range(90))
    ),
    "vehicle": Layout(
        members=tuple(f"xa{letter}.dat" for letter in "abcdefghi"),
        features=_words(
            """
            compactness circularity distance_circularity radius_ratio pr_axis_aspect_ratio
            max_length_aspect_ratio scatter_ratio elongatedness pr_axis_rectangularity
            max_length_rectangularity scaled_variance_major scaled_variance_minor
            scaled_radius_of_gyration skewness_about_major skewness_about_minor
            kurtosis_about_major kurtosis_about_minor hollows_ratio
            """
        ),
    ),
    "forest_type_mapping": Layout(
        members=("training.csv", "testing.csv"),
        features=(
            *_BANDS,
            *(f"pred_minus_obs_{kind}_{band}" for kind in "HS" for band in _BANDS),
        ),
        first=1,
        label=0,
    ),
    "image_segmentation": Layout(
        members=("segmentation.data",),
        features=_words(
            """
            region_centroid_col region_centroid_row region_pixel_count short_line_density_5
            short_line_density_2 vedge_mean vedge_sd hedge_mean hedge_sd intensity_mean rawred_mean
            rawblue_mean rawgreen_mean exred_mean exblue_mean exgreen_mean value_mean
            saturation_mean hue_mean
            """
        ),
        first=1,
        label=0,
    ),
    "synthetic_control": Layout(
        members=("synthetic_control.data",),
        features=_numbered("t", range(60)),
        blocks=_words(
            "normal cyclic increasing_trend decreasing_trend upward_shift downward_shift"
        ),
    ),
    "fertility": Layout(
        members=("fertility_Diagnosis.txt",),
        features=_words(
            """
            season age childish_diseases accident_trauma surgery high_fevers alcohol smoking
            hours_sitting
            """
        ),
    ),
    "glass": Layout(members=("glass.data",), features=_words("RI Na Mg Al Si K Ca Ba Fe"), first=1),
    "ionosphere": Layout(
        members=("ionosphere.data",), features=_numbered("a", range(1, 35), width=2)
    ),
    # Family, genus and number of the record stand next to the species.
    "anuran_calls_mfcc": Layout(
        members=("Frogs_MFCCs.csv",),
        features=_numbered("MFCCs_", range(1, 23), width=2),
        label=-2,
    ),
    "pendigits": Layout(
        members=("pendigits.tra", "pendigits.tes"), features=_numbered("input", range(1, 17))
    ),
    "seeds": Layout(
        members=("seeds_dataset.txt",),
        features=_words(
            """
            area perimeter compactness length_of_kernel width_of_kernel asymmetry_coefficient
            length_of_kernel_groove
            """
        ),
    ),
    "spect_heart": Layout(
        members=("SPECT.train", "SPECT.test"),
        features=_numbered("F", range(1, 23)),
        first=1,
        label=0,
    ),
    "cmc": Layout(
        members=("cmc.data",),
        features=_words(
            """
            wife_age wife_education husband_education children wife_religion wife_working
            husband_occupation standard_of_living media_exposure
            """
        ),
    ),
}
