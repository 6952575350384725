import { readdir } from 'node:fs/promises';
import { z } from 'zod';
import { describe, expect, it } from 'vitest';
import { compileCatalogue, sourcesOf } from '@fairlead/connector-model/compile';
import { openDescriptionStore } from '@fairlead/connector-model/sources/description-store';
import { shippedConnector } from '@fairlead/connector-runtime/testing/shipped-connector';
import { startTestServer } from '@fairlead/connector-runtime/testing/http-server';
import type { ReceivedRequest } from '@fairlead/connector-runtime/testing/http-server';
import { CONNECTORS, SOURCES } from '../catalogue/cache.ts';

const jsonFields = z.record(z.string(), z.json());

/** A module of `cases/`: an application, and calls of its vendor's SDK paired with calls of our tools. */
const casesModule = z.object({
  /** Beginning of the application's addresses, in which a field may stand. */
  origin: z.string().min(1),
  authenticationId: z.int(),
  fields: jsonFields.default({}),
  /** Access token of a sign-in. */
  accessToken: z.string().optional(),
  /** Query parameters that only one of the two sends: they only affect the form of the response. */
  ignored: z.array(z.string()).default([]),
  /** Body of the recorder's responses, for an SDK that fails late without some member of it. */
  answer: jsonFields.default({}),
  cases: z.array(
    z.object({
      tool: z.string(),
      input: jsonFields,
      /** The page size that our call requests, where the SDK sends a number, too. */
      top: z.int().optional(),
      /** Makes the SDK's call to a server at this address. */
      sdk: z.function({ input: [z.string()], output: z.unknown() }),
    }),
  ),
});

/** Minimum number of tools in which a verified application sends the same as its vendor's SDK. */
const MIN_EQUAL_TOOLS = 5;

/** A request, independent of the order and encoding of its parts. */
function askedBy(request: ReceivedRequest | undefined, ignored: readonly string[]): unknown {
  if (request === undefined) return undefined;
  const { method, path, query, body } = request;
  const parameters = [...query]
    .filter(([name]) => !ignored.includes(name))
    .toSorted(([a], [b]) => a.localeCompare(b));
  return { method, path: decodeURIComponent(path), query: parameters, body: bodyOf(body) };
}

function bodyOf(text: string): unknown {
  if (text === '') return undefined;
  return /^[[{]/.test(text) ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text));
}

/** The first request that an SDK sends; it may then reject the response. */
async function recordCalls(
  send: (url: string) => unknown,
  answer: z.infer<typeof jsonFields>,
): Promise<ReceivedRequest | undefined> {
  const server = await startTestServer(() => ({ body: answer }));
  await Promise.resolve(send(server.url)).catch(() => undefined);
  await server.close();
  return server.requests[0];
}

const folder = new URL('cases/', import.meta.url);
const slugs = (await readdir(folder)).map((file) => file.replace(/\.mjs$/, ''));

const store = openDescriptionStore(SOURCES);
await store.fetchMissing(await sourcesOf([CONNECTORS]));
const catalogue = await compileCatalogue([CONNECTORS], store.read, { only: slugs });

describe.each(slugs)('%s', async (slug) => {
  const { cases, ignored, answer, accessToken, ...vendor } = casesModule.parse(
    await import(new URL(`${slug}.mjs`, folder).href),
  );
  const compiled = catalogue.ok ? catalogue.connectors.find((each) => each.slug === slug) : undefined;
  if (compiled === undefined) throw new Error(`${slug} does not compile.`);

  it.each(cases)('$tool sends what the SDK sends', async ({ tool, input, top, sdk }) => {
    const theirs = await recordCalls(sdk, answer);
    const { server, call } = await shippedConnector(slug, {
      ...vendor,
      ...(accessToken !== undefined && { accessToken }),
      compiled,
      respond: () => ({ body: {} }),
    });
    await call(tool, input, top === undefined ? {} : { top });
    expect(theirs).toBeDefined();
    expect(askedBy(server.requests[0], ignored)).toEqual(askedBy(theirs, ignored));
  });

  it('is compared in enough tools', () => {
    expect(new Set(cases.map(({ tool }) => tool)).size).toBeGreaterThanOrEqual(MIN_EQUAL_TOOLS);
  });
});
