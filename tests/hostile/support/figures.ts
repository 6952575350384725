/**
 * Whether this run measures the CPU time of each attacking call and the memory of the services, with as many calls as that
 * takes: `FIGURES=measured npm test -- hostile`. Other processes disturb both, so CI asserts only what is answered.
 */
export const areFiguresMeasured = process.env['FIGURES'] === 'measured';

/** How often an attack is repeated: `few` times, or `many` for a figure of each call. */
export const times = (few: number, many: number): number => (areFiguresMeasured ? many : few);
