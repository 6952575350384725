/**
 * The CPU time of this process that `run` takes, in milliseconds: the least of three runs, because the collection of
 * earlier garbage counts too. For comparing with a baseline in the same test, which other processes do not disturb.
 */
export async function cpuMs(run: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round += 1) {
    const before = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}
