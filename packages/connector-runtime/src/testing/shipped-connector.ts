import { readFile } from 'node:fs/promises';
import { compileManifest } from '@fairlead/connector-model/compile-manifest';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { Connector } from '@fairlead/connector-model/model';
import type { ToolCall, ToolOutcome } from '../call.ts';
import { testCall, testCredential, testOptions } from './calls.ts';
import type { ReceivedRequest, TestResponse, TestServer } from './http-server.ts';
import { testRuntime, testVendor } from './vendor.ts';

/** A connector of `connectors/` whose vendor is a test server, with a connection by one of its methods. */
export interface ShippedConnector {
  readonly server: TestServer;
  readonly connector: Connector;
  /** Calls a tool in the same way as the tools service. */
  readonly call: (toolSlug: string, fields?: JsonObject, parts?: Partial<ToolCall>) => Promise<ToolOutcome>;
}

/**
 * Compiles a manifest, and replaces the vendor's addresses by a test server (`origin`). The connection has the fields
 * of one method, and an access token if that method is a sign-in.
 */
export async function shippedConnector(
  slug: string,
  o: {
    readonly origin: string;
    /** The compiled application, if there is one already. */
    readonly compiled?: Connector;
    /** Further test servers, by the origins that they replace. */
    readonly furtherOrigins?: Readonly<Record<string, string>>;
    readonly authenticationId: number;
    readonly fields?: JsonObject;
    readonly accessToken?: string;
    readonly grantedScopes?: readonly string[];
    readonly respond: (request: ReceivedRequest, count: number) => TestResponse;
  },
): Promise<ShippedConnector> {
  const { server } = await testVendor(o.respond);
  const addresses = Object.entries({ [o.origin]: server.url, ...o.furtherOrigins });
  const compiled = o.compiled ?? (await compiledFrom(slug));
  const text = addresses.reduce(
    (json, [origin, url]) => json.replaceAll(origin, url),
    JSON.stringify(compiled),
  );
  // The same connector with the test servers' addresses, which are not https, so a manifest could not contain them.
  const connector = JSON.parse(text) as Connector;
  const method = connector.authenticationMethods.find((each) => each.authenticationId === o.authenticationId);
  if (method === undefined) throw new Error(`${slug} has no method ${o.authenticationId}.`);
  const secrets = Object.values(o.fields ?? {}).filter((value) => typeof value === 'string');
  const credential = testCredential(o.fields, {
    secrets,
    ...(o.accessToken !== undefined && { accessToken: o.accessToken }),
    ...(o.grantedScopes !== undefined && { grantedScopes: o.grantedScopes }),
  });
  const runtime = testRuntime();
  return {
    server,
    connector,
    call(toolSlug, fields = {}, parts = {}) {
      const tool = connector.tools.find((each) => each.toolSlug === toolSlug);
      if (tool === undefined) throw new Error(`${slug} has no tool ${toolSlug}.`);
      return runtime.execute(
        testCall(tool, { connector, method, credential, fields, ...parts }),
        testOptions(),
      );
    },
  };
}

/** The compiled application of a manifest, with all tools. */
async function compiledFrom(slug: string): Promise<Connector> {
  const file = new URL(`../../../../connectors/${slug}/connector.yaml`, import.meta.url);
  const manifest = await readFile(file, 'utf8');
  const result = compileManifest(manifest, { directory: slug, file: file.pathname });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.connector;
}
