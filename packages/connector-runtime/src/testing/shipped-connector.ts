import { readFile } from 'node:fs/promises';
import { compileManifest } from '@fairlead/connector-model/compile-manifest';
import type { Connector, JsonObject } from '@fairlead/connector-model/model';
import type { ToolCall, ToolOutcome } from '../call.ts';
import { testCall, testCredential, testOptions } from './calls.ts';
import type { ReceivedRequest, TestResponse, TestServer } from './http-server.ts';
import { testRuntime, testVendor } from './vendor.ts';

/** A connector of `connectors/` whose vendor is a test server, signed in by one of its methods. */
export interface ShippedConnector {
  readonly server: TestServer;
  readonly connector: Connector;
  /** Calls a tool as the tools service does. */
  readonly call: (toolSlug: string, fields?: JsonObject, parts?: Partial<ToolCall>) => Promise<ToolOutcome>;
}

/**
 * Compiles a manifest and leads every address at `origin` to a test server. The connection has a method's fields, and an access
 * token if it signs in.
 */
export async function shippedConnector(
  slug: string,
  o: {
    readonly origin: string;
    /** The application, if it is compiled already. */
    readonly compiled?: Connector;
    /** Addresses of other test servers by the origins that lead there. */
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
  // The same connector with other addresses, which its manifest may not have: they are not https.
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

/** The application of a manifest with all of its tools. */
async function compiledFrom(slug: string): Promise<Connector> {
  const file = new URL(`../../../../connectors/${slug}/connector.yaml`, import.meta.url);
  const manifest = await readFile(file, 'utf8');
  const result = compileManifest(manifest, { directory: slug, file: file.pathname });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.connector;
}
