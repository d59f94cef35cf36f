"""Codes by which semimetrics tell compiled loops what they are: ρ(x, y) = φ(Σ_d δ(x_d, y_d))."""

#: δ, what one coordinate adds. PRODUCT is SQUARED computed as ‖x‖² + ‖y‖² − 2xy; SHANNON is the
#: Jensen–Shannon form, which needs logarithms.
SQUARED, ABSOLUTE, MISMATCH, PRODUCT, SHANNON = range(5)
#: φ, the function of the sum; most take one parameter.
POWER, SCALE, LAPLACIAN, GAUSSIAN, DAMPED, SINE, ARC = range(7)
#: Powers that cost only square roots: t, √t, ∜t and t^¾.
ROOT_POWERS = (1.0, 0.5, 0.25, 0.75)
