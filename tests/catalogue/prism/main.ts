import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { compileRead, readManifest } from '@fairlead/connector-model/compile-manifest';
import { isJsonArray, isJsonObject } from '@fairlead/connector-model/json';
import type { Json } from '@fairlead/connector-model/json';
import { openDescriptionStore } from '@fairlead/connector-model/sources/description-store';
import { CACHE, CONNECTORS, SOURCES } from '../cache.ts';
import { callTools } from './call-tools.ts';
import type { ImportedTool } from './call-tools.ts';
import { discoveryAsOpenApi } from './discovery-openapi.ts';
import { installPrism, startPrism } from './prism.ts';
import { findOperation, pruneOpenApi } from './prune-openapi.ts';

const exceptionsSchema = z.array(
  z.strictObject({ tool: z.string(), violation: z.string().min(10), because: z.string().min(20) }),
);

/** Calls the imported tools of one application at Prism; undefined: it has none. */
async function check(
  slug: string,
  o: { readonly program: string; readonly directory: string },
): Promise<
  { readonly tools: number; readonly calls: number; readonly violations: readonly string[] } | undefined
> {
  const read = readManifest(await readFile(join(CONNECTORS, slug, 'connector.yaml'), 'utf8'), slug);
  if (!read.ok) throw new Error(`${slug} is no manifest`);
  const { source, operations, tools: written } = read.manifest;
  if (source === undefined) return undefined;
  const store = openDescriptionStore(SOURCES);
  const [failure] = await store.fetchMissing([source]);
  if (failure !== undefined) throw new Error(`${failure.package}: ${failure.reason}`);
  const description = await store.read(source);
  if (!isJsonObject(description)) throw new Error(`the description of ${slug} is no object`);
  const compiled = compileRead(read, { directory: slug, description });
  if (!compiled.ok) throw new Error(`${slug} does not compile`);
  const document = source.kind === 'discovery' ? discoveryAsOpenApi(description) : description;
  // Imported tools come after the others.
  const imported = compiled.connector.tools.slice(written.length);
  const tools = operations.map(({ operation }, index): ImportedTool => {
    const [place, tool] = [findOperation(document, operation), imported[index]];
    if (place === undefined || tool === undefined) throw new Error(`${slug}: no operation ${operation}`);
    return { place, tool };
  });
  const file = join(o.directory, `${slug}.json`);
  await writeFile(
    file,
    JSON.stringify(
      pruneOpenApi(
        document,
        tools.map(({ place }) => place),
        namesIn(tools),
      ),
    ),
  );
  const prism = await startPrism(o.program, file);
  try {
    return { tools: tools.length, ...(await callTools(compiled.connector, tools, prism.url)) };
  } finally {
    await prism.close();
  }
}

/** Names of all members that the tools may send in a body. */
function namesIn(tools: readonly ImportedTool[]): ReadonlySet<string> {
  const names = new Set<string>();
  const collect = (value: Json): void => {
    if (isJsonArray(value)) for (const item of value) collect(item);
    if (!isJsonObject(value)) return;
    for (const [name, member] of Object.entries(value)) {
      names.add(name);
      collect(member);
    }
  };
  for (const { tool } of tools) {
    collect(tool.inputSchema);
    if (tool.execution.type === 'http') collect(tool.execution.request.body);
  }
  return names;
}

const only = process.argv.slice(2);
const program = await installPrism(CACHE);
const directory = await mkdtemp(join(tmpdir(), 'prism-'));
const all = (await readdir(CONNECTORS, { withFileTypes: true })).filter((entry) => entry.isDirectory());
const slugs = only.length === 0 ? all.map(({ name }) => name) : only;
const exceptions = exceptionsSchema.parse(
  parse(await readFile(join(import.meta.dirname, 'exceptions.yaml'), 'utf8')),
);
const used = new Set<(typeof exceptions)[number]>();
const isException = (violation: string): boolean => {
  const found = exceptions.find(
    (each) => violation.startsWith(each.tool.replace(/\*$/, '')) && violation.includes(each.violation),
  );
  if (found !== undefined) used.add(found);
  return found !== undefined;
};
const sum = { applications: 0, tools: 0, calls: 0, violations: 0 };
try {
  for (const slug of slugs) {
    const report = await check(slug, { program, directory });
    if (report === undefined) continue;
    const { tools, calls } = report;
    const violations = report.violations.filter((violation) => !isException(violation));
    for (const violation of violations) process.stdout.write(`${violation}\n`);
    process.stdout.write(
      `${slug}: ${String(tools)} tools, ${String(calls)} calls, ${String(violations.length)} violations\n`,
    );
    sum.applications += 1;
    sum.tools += tools;
    sum.calls += calls;
    sum.violations += violations.length;
  }
} finally {
  await rm(directory, { recursive: true, force: true });
}
const unused = only.length > 0 ? [] : exceptions.filter((each) => !used.has(each));
for (const { tool, violation } of unused)
  process.stdout.write(`the exception of ${tool} can go: ${violation}\n`);
process.stdout.write(`${JSON.stringify({ ...sum, exceptions: used.size })}\n`);
process.exitCode = sum.violations + unused.length === 0 ? 0 : 1;
