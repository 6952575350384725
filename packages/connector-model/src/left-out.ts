import type { FetchFailure } from './sources/extract-members.ts';

/** How a line begins that says which applications the catalogue lacks. */
export const LEFT_OUT = 'Not in the catalogue: ';

/** Says in one line which applications the catalogue lacks, and why. */
export function leftOutText(slugs: readonly string[], failures: readonly FetchFailure[]): string {
  const reasons = failures.map((each) => `${each.package} ${each.version}: ${each.reason}`);
  return `${LEFT_OUT}${slugs.join(', ')}. Their vendors' descriptions are not here (${reasons.join('; ')}). The next start tries again.`;
}

/** Says in one line that brands' icons are not here, and why. */
export function lettersText(failure: FetchFailure | undefined): string {
  const reason = failure === undefined ? '' : ` (${failure.package} ${failure.version}: ${failure.reason})`;
  return `Logos are letters, because the icons are not here${reason}. The next start tries again.`;
}
