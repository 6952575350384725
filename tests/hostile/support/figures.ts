/**
 * Whether this run measures CPU time per attacking call and the services' memory, with the necessary number of calls: `FIGURES=measured npm
 * test -- hostile`. Other processes would distort both, so CI only asserts responses.
 */
export const areFiguresMeasured = process.env['FIGURES'] === 'measured';

/** Number of repetitions of an attack: `few`, or `many` to measure each call. */
export const times = (few: number, many: number): number => (areFiguresMeasured ? many : few);
