"""Pictures in SVG: scales, axes, lines, bars, matrices and strips, each with words beside it."""
