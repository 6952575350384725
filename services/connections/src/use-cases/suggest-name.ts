import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ConnectionStore } from '../ports/connection-store.ts';

/** Names checked per query. */
const BATCH = 16;

/** More than any account has connections. */
const LAST = 2 ** 31;

/**
 * A free name for a new connection: the application's name with the lowest free number up to 16, otherwise a free number whose predecessor
 * is taken. Checks few names, however many exist.
 */
export async function suggestName(
  { connections }: { readonly connections: Pick<ConnectionStore, 'takenNames'> },
  ctx: RequestContext,
  of: { readonly accountId: string; readonly applicationSlug: string; readonly applicationName: string },
): Promise<string> {
  const nameOf = (number: number): string =>
    number === 1 ? of.applicationName : `${of.applicationName} ${number}`;
  /** The first free one of ascending numbers, and the number before it. */
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

/** At most BATCH distinct numbers between two, evenly spaced. */
function between(low: number, high: number): number[] {
  const step = Math.max(1, (high - low) / (BATCH + 1));
  const numbers = Array.from({ length: BATCH }, (_, index) => Math.floor(low + (index + 1) * step));
  return numbers.filter((number) => number < high);
}
