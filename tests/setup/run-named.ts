/**
 * Runs the program that the first argument names, with the arguments after it; `fallback`, if any, when the first argument is an option or
 * absent. Exits with 2 and the names if there is no such program. A program runs as soon as it is imported.
 */
export async function runNamed(
  programs: Readonly<Record<string, () => Promise<unknown>>>,
  fallback?: string,
): Promise<void> {
  const given = process.argv[2];
  const isNamed = given !== undefined && !given.startsWith('-');
  const name = isNamed ? given : fallback;
  const program = name === undefined ? undefined : programs[name];
  if (program === undefined) {
    console.error(`Name one of ${Object.keys(programs).join(', ')}.`);
    process.exitCode = 2;
    return;
  }
  // The program reads its own arguments.
  if (isNamed) process.argv.splice(2, 1);
  await program();
}
