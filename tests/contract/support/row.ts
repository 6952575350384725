import { it } from 'vitest';

/**
 * A contract test: `ids` are the rows of the contract (rows.tsv) that it proves, `guarantee` says what holds. The list
 * of rows without a test is made from these calls, so ids are written as literals.
 */
export function row(
  ids: string | readonly string[],
  guarantee: string,
  test: () => Promise<void> | void,
): void {
  const named = typeof ids === 'string' ? [ids] : ids;
  it(`[${named.join(', ')}] ${guarantee}`, test);
}
