import type { FetchFailure } from './sources/extract-members.ts';

/** The beginning of the line about missing applications. */
export const LEFT_OUT = 'Not in the catalogue: ';

/** One line about the applications that the catalogue lacks, and the reason. */
export function leftOutText(slugs: readonly string[], failures: readonly FetchFailure[]): string {
  const reasons = failures.map((each) => `${each.package} ${each.version}: ${each.reason}`);
  return `${LEFT_OUT}${slugs.join(', ')}. Their vendors' descriptions are not here (${reasons.join('; ')}). The next start tries again.`;
}

/** One line about missing brand icons, and the reason. */
export function lettersText(failure: FetchFailure | undefined): string {
  const reason = failure === undefined ? '' : ` (${failure.package} ${failure.version}: ${failure.reason})`;
  return `Logos are letters, because the icons are not here${reason}. The next start tries again.`;
}
