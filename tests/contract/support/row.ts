import { it } from 'vitest';

/**
 * A contract test: `ids` are the rows of the contract (rows.tsv) that it proves, `guarantee` describes the guarantee. The list of rows
 * without a test is generated from these calls, so ids must be literals.
 */
export function row(
  ids: string | readonly string[],
  guarantee: string,
  test: () => Promise<void> | void,
): void {
  const named = typeof ids === 'string' ? [ids] : ids;
  it(`[${named.join(', ')}] ${guarantee}`, test);
}
