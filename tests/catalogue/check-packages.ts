// The packages of a list, fetched: each is imported, and one of its tools runs in a worker and calls a vendor at loopback.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { importPiece } from '@fairlead/connector-import/piece/import-piece';
import { importServer } from '@fairlead/connector-import/server/import-server';
import { packageList, readAllowedPackages } from '@fairlead/connector-model/packages/allowed-package';
import { fetchPackages } from '@fairlead/connector-model/packages/fetch-packages';
import type { JsonObject } from '@fairlead/connector-model/json';
import { createPackageWorkers } from '@fairlead/connector-runtime/packages/package-workers';
import type { PackageWorkers } from '@fairlead/connector-runtime/packages/package-workers';
import { startTestServer } from '@fairlead/connector-runtime/testing/http-server';
import type { Egress } from '@fairlead/egress/egress';
import { createGuardedEgress } from '@fairlead/egress/guarded-egress';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { CACHE } from './cache.ts';

/** A call of one tool of a package. */
export interface PackageCase {
  /** The authentication method of the application, and the fields of a connection. */
  readonly method: number;
  readonly fields: JsonObject;
  readonly action: string;
  readonly props: JsonObject;
  /** The request that the vendor gets; absent: none. */
  readonly request?: string;
  /** Name and value of the header with the credential. */
  readonly credential?: readonly [name: string, value: string];
  readonly answer?: JsonObject | readonly JsonObject[];
  /** A part of the output. */
  readonly output: string;
}

/** Checks each package of the list at `url` against its case, and prints the result. */
export async function checkPackages(url: URL, cases: Readonly<Record<string, PackageCase>>): Promise<void> {
  const { packages } = packageList.parse(parseYaml(await readFile(url, 'utf8')));
  const directory = join(CACHE, 'packages', String(packages[0]?.kind));
  await fetchPackages(packages, directory, { readLock: (path) => readFile(new URL(path, url), 'utf8') });
  let answer: PackageCase['answer'] = {};
  const vendor = await startTestServer(() => ({ body: answer }));
  const log = createLogger({ service: 'packages', level: 'warn' });
  const guarded = createGuardedEgress({ allow: ['127.0.0.0/8'], userAgent: 'fairlead-test', log });
  const sent: string[] = [];
  /** Sends each request to the vendor at loopback instead. */
  const egress: Pick<Egress, 'request'> = {
    request: (request) => {
      const { origin, pathname, search } = new URL(request.url);
      sent.push(`${request.method} ${origin}${pathname}`);
      return guarded.request({ ...request, url: `${vendor.url}${pathname}${search}` });
    },
  };
  const workers = createPackageWorkers({ packages: await readAllowedPackages(directory), egress, log });
  try {
    for (const { package: name, version } of packages) {
      const { [name]: given } = cases;
      answer = given?.answer ?? {};
      sent.length = 0;
      try {
        if (given === undefined) throw new Error('has no case');
        const text = await callOne(workers, { name, version }, given);
        const [request] = sent;
        if (request !== given.request)
          throw new Error(`sends ${String(request)}, not ${String(given.request)}`);
        const [header = '', value] = given.credential ?? [];
        if (value !== undefined && vendor.requests.at(-1)?.headers[header] !== value)
          throw new Error('sends another credential');
        process.stdout.write(`${name} ${version}: ${text}\n`);
      } catch (error) {
        process.stderr.write(
          `${name} ${version} ${error instanceof Error ? error.message : String(error)}\n`,
        );
        process.exitCode = 1;
      }
    }
  } finally {
    await Promise.all([workers.close(), vendor.close(), guarded.close()]);
  }
}

async function callOne(
  workers: PackageWorkers,
  { name, version }: { readonly name: string; readonly version: string },
  { method: id, fields, action, props, output: expected }: PackageCase,
): Promise<string> {
  const options = { accountId: 'account', timeoutMs: 60_000, signal: new AbortController().signal };
  const described = await workers.describe({ name, version }, options);
  if (described === undefined) throw new Error('is not allowed');
  const { kind, description, fields: connectionFields } = described;
  const job = { kind, slug: 'checked', package: name, version, fields: connectionFields };
  const { connector, skipped } = (kind === 'piece' ? importPiece : importServer)(description, job);
  const method = connector.authenticationMethods.find(({ authenticationId }) => authenticationId === id);
  if (method === undefined) throw new Error(`has no sign-in ${String(id)}`);
  const output = await workers.callAction({
    ...options,
    connector,
    method,
    credential: { version: 1, fields, secrets: [] },
    fields: { package: name, version, action, props },
    filters: [],
    sorts: [],
    maxOutputBytes: 1024 * 1024,
  });
  const text = JSON.stringify(output);
  if (!text.includes(expected)) throw new Error(`returns ${text.slice(0, 300)}`);
  return `${String(connector.tools.length)} tools, ${String(skipped.length)} parts skipped`;
}
