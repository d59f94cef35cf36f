"""Codes by which semimetrics tell compiled loops what they are: ρ(x, y) = φ(Σ_d δ(x_d, y_d))."""

#: δ, what one coordinate adds. PRODUCT is SQUARED computed as ‖x‖² + ‖y‖² − 2xy; SHANNON is the
#: Jensen–Shannon form, which needs logarithms; GAPS is what missing entries add to other terms, for
#: coordinates (c, m) side by side: Σ_d c_d(x) m_d(y) + m_d(x) c_d(y), where c_d or m_d is 0.
SQUARED, ABSOLUTE, MISMATCH, PRODUCT, SHANNON, GAPS = range(6)
#: φ, the function of the sum; most take one parameter.
POWER, SCALE, LAPLACIAN, GAUSSIAN, DAMPED, SINE, ARC = range(7)
#: Powers that cost only square roots: t, √t, ∜t and t^¾.
ROOT_POWERS = (1.0, 0.5, 0.25, 0.75)
