import type { FetchFailure } from './sources/description-store.ts';

/** How a line begins that says which applications the catalogue lacks. */
export const LEFT_OUT = 'Not in the catalogue: ';

/** Says in one line which applications the catalogue lacks, and why. */
export function leftOutText(slugs: readonly string[], failures: readonly FetchFailure[]): string {
  const reasons = failures.map((each) => `${each.package} ${each.version}: ${each.reason}`);
  return `${LEFT_OUT}${slugs.join(', ')}. Their vendors' descriptions are not here (${reasons.join('; ')}). The next start tries again.`;
}
