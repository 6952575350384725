import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compileCatalogue, formatProblem, sourcesOf } from '@fairlead/connector-model/compile';
import { leftOutText, lettersText } from '@fairlead/connector-model/left-out';
import { openDescriptionStore } from '@fairlead/connector-model/sources/description-store';
import { openIconStore } from '@fairlead/connector-model/sources/icon-store';
import { CACHE, CONNECTORS, SOURCES } from '../cache.ts';
import { readExemptions } from './exemptions.ts';
import { compatOf, toolProblems } from './tool-problems.ts';

/** Maximum size of the compiled catalogue in bytes; each replica of the catalog service reads it. */
const MAX_CATALOGUE_BYTES = 60_000_000;
/** Each tool, with the model profiles that accept its inputs unchanged. */
const COMPAT = join(CACHE, 'compat.tsv');

/** Compiles the applications `only`, by default all, and applies the catalogue's rules; resolves to the exit code. */
async function lint(only: readonly string[]): Promise<number> {
  const store = openDescriptionStore(SOURCES);
  const iconStore = openIconStore(SOURCES);
  const failures = await store.fetchMissing(await sourcesOf([CONNECTORS]));
  const iconFailure = await iconStore.fetchMissing();
  const icons = await iconStore.read();
  const { exempt, unused } = await readExemptions();
  const result = await compileCatalogue([CONNECTORS], store.read, {
    only,
    gate: (connector) => toolProblems(connector, exempt),
    ...(icons !== undefined && { icons }),
  });
  if (!result.ok) {
    process.stderr.write(`${result.problems.map(formatProblem).join('\n')}\n`);
    return 1;
  }
  if (result.left.length > 0) process.stderr.write(`${leftOutText(result.left, failures)}\n`);
  if (icons === undefined) process.stderr.write(`${lettersText(iconFailure)}\n`);
  const needless = only.length === 0 ? unused() : [];
  for (const name of needless) process.stderr.write(`the exemption of ${name} is not needed\n`);
  const tools = result.connectors.flatMap((connector) => connector.tools);
  await writeFile(COMPAT, tools.map((tool) => `${[tool.toolSlug, ...compatOf(tool)].join('\t')}\n`).join(''));
  process.stdout.write(
    `${String(result.connectors.length)} applications with ${String(tools.length)} tools; ${COMPAT} says which models take each as it is\n`,
  );
  const bytes = Buffer.byteLength(JSON.stringify(result.connectors));
  if (bytes > MAX_CATALOGUE_BYTES) process.stderr.write(`the catalogue has ${String(bytes)} bytes\n`);
  const isComplete = result.left.length === 0 && icons !== undefined && needless.length === 0;
  return isComplete && bytes <= MAX_CATALOGUE_BYTES ? 0 : 1;
}

process.exitCode = await lint(process.argv.slice(2));
