import { compileCatalogue, formatProblem, sourcesOf } from '@fairlead/connector-model/compile';
import { leftOutText, lettersText } from '@fairlead/connector-model/left-out';
import { openDescriptionStore } from '@fairlead/connector-model/sources/description-store';
import { openIconStore } from '@fairlead/connector-model/sources/icon-store';
import { CONNECTORS, SOURCES } from '../cache.ts';
import { toolProblems, toolWarnings } from './tool-problems.ts';

/** Bytes of the compiled catalogue, which each replica of the catalog service reads. */
const MAX_CATALOGUE_BYTES = 60_000_000;

/** Compiles the applications `only`, by default all, with the rules of the catalogue; resolves to the exit code. */
async function lint(only: readonly string[]): Promise<number> {
  const store = openDescriptionStore(SOURCES);
  const iconStore = openIconStore(SOURCES);
  const failures = await store.fetchMissing(await sourcesOf([CONNECTORS]));
  const iconFailure = await iconStore.fetchMissing();
  const icons = await iconStore.read();
  const result = await compileCatalogue([CONNECTORS], store.read, {
    only,
    gate: toolProblems,
    ...(icons !== undefined && { icons }),
  });
  if (!result.ok) {
    process.stderr.write(`${result.problems.map(formatProblem).join('\n')}\n`);
    return 1;
  }
  if (result.left.length > 0) process.stderr.write(`${leftOutText(result.left, failures)}\n`);
  if (icons === undefined) process.stderr.write(`${lettersText(iconFailure)}\n`);
  const warnings = result.connectors.flatMap(toolWarnings);
  for (const warning of warnings) process.stdout.write(`warning: ${warning}\n`);
  const tools = result.connectors.reduce((sum, connector) => sum + connector.tools.length, 0);
  process.stdout.write(
    `${String(result.connectors.length)} applications with ${String(tools)} tools, ${String(warnings.length)} warnings\n`,
  );
  const bytes = Buffer.byteLength(JSON.stringify(result.connectors));
  if (bytes > MAX_CATALOGUE_BYTES) process.stderr.write(`the catalogue has ${String(bytes)} bytes\n`);
  return result.left.length > 0 || icons === undefined || bytes > MAX_CATALOGUE_BYTES ? 1 : 0;
}

process.exitCode = await lint(process.argv.slice(2));
