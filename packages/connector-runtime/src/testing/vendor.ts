import { afterEach } from 'vitest';
import type { ConnectorHead, ToolExecution } from '@fairlead/connector-model/model';
import type { HandlerRegistry } from '../handler.ts';
import { createConnectorRuntime } from '../runtime.ts';
import type { ConnectorRuntime } from '../runtime.ts';
import { testConnector, testEgress, testRequest } from './calls.ts';
import { startTestServer } from './http-server.ts';
import type { TestResponse, ReceivedRequest, TestServer } from './http-server.ts';

const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const resource of closing.splice(0)) await resource.close();
});

/** A runtime that also reaches loopback; closed after the test. */
export function testRuntime(
  handlers: HandlerRegistry = () => Promise.reject(new Error('no handler')),
): ConnectorRuntime {
  const egress = testEgress();
  closing.push(egress);
  return createConnectorRuntime({ egress, handlers });
}

/** A vendor and its connector with the base path `/api`; closed after the test. */
export async function testVendor(
  respond: (request: ReceivedRequest, count: number) => TestResponse | Promise<TestResponse>,
): Promise<{ server: TestServer; connector: ConnectorHead }> {
  const server = await startTestServer(respond);
  closing.push(server);
  const connector = testConnector({ baseUrl: `${server.url}/api`, errorMessagePointers: ['/error/message'] });
  return { server, connector };
}

/** An HTTP tool that gets `/things` as an object, with `parts` replaced. */
export function httpExecution(parts: Partial<Extract<ToolExecution, { type: 'http' }>> = {}): ToolExecution {
  return {
    type: 'http',
    request: testRequest('/things'),
    response: { type: 'object', pointer: '' },
    ...parts,
  };
}
