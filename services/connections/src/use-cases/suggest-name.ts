import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ConnectionStore } from '../ports/connection-store.ts';

/** Names that are asked about at a time. */
const BATCH = 16;

/** No account has as many connections. */
const LAST = 2 ** 31;

/**
 * A name for a new connection that no other of its application has: the application's, with the lowest number that is
 * free up to 16, otherwise with one whose predecessor is taken. Asks about a few names, however many are taken.
 */
export async function suggestName(
  { connections }: { readonly connections: Pick<ConnectionStore, 'takenNames'> },
  ctx: RequestContext,
  of: { readonly accountId: string; readonly applicationSlug: string; readonly applicationName: string },
): Promise<string> {
  const nameOf = (number: number): string =>
    number === 1 ? of.applicationName : `${of.applicationName} ${number}`;
  /** The first of increasing numbers that is free, and the one before it. */
  const firstFree = async (numbers: readonly number[]): Promise<readonly [number | undefined, number]> => {
    const names = numbers.map(nameOf);
    const taken = await connections.takenNames(ctx, of.accountId, of.applicationSlug, names);
    const index = names.findIndex((name) => !taken.has(name));
    return index === -1 ? [undefined, numbers.at(-1) ?? 0] : [numbers[index], numbers[index - 1] ?? 0];
  };

  const [lowest] = await firstFree(Array.from({ length: BATCH }, (_, index) => index + 1));
  if (lowest !== undefined) return nameOf(lowest);
  let [free = LAST, taken] = await firstFree(doubled(BATCH));
  taken = Math.max(taken, BATCH);
  while (free - taken > 1) {
    const [next, before] = await firstFree(between(taken, free));
    [free, taken] = [next ?? free, Math.max(taken, before)];
  }
  return nameOf(free);
}

/** The powers of two after `from`, up to LAST. */
function doubled(from: number): number[] {
  const numbers: number[] = [];
  for (let number = from * 2; number <= LAST; number *= 2) numbers.push(number);
  return numbers;
}

/** At most BATCH different numbers between two, at equal distances. */
function between(low: number, high: number): number[] {
  const step = Math.max(1, (high - low) / (BATCH + 1));
  const numbers = Array.from({ length: BATCH }, (_, index) => Math.floor(low + (index + 1) * step));
  return numbers.filter((number) => number < high);
}
