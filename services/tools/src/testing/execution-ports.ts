import { systemClock } from '@fairlead/service-kit/clock';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { onePermit } from '@fairlead/service-kit/testing/permits';
import type { ExecutionPorts } from '../ports/execution-ports.ts';
import { noFiles } from './files.ts';
import { connectorHead, toolDefinition } from './fixtures.ts';
import {
  catalogOf,
  connection,
  connectionsOf,
  maskingInPlace,
  MemoryHistory,
  platformSchemas,
} from './tool-calls.ts';
import { withoutToolsets } from './toolsets.ts';

/** Ports of an account with the tool and connection of fixtures.ts, whose vendor returns nothing, unless overridden. */
export function executionPorts(o: Partial<ExecutionPorts> = {}): ExecutionPorts {
  const credential = { version: 1, fields: {}, secrets: [] };
  return {
    ...withoutToolsets,
    ...noFiles,
    catalog: catalogOf(toolDefinition(), connectorHead()),
    connections: connectionsOf(connection(), { kind: 'credential', credential }),
    runtime: {
      execute: () => Promise.resolve({ isSuccess: true, output: {}, attempts: 1 }),
      preview: () => ({ type: 'http' as const, method: 'GET', url: '', headers: {}, body: null }),
    },
    history: new MemoryHistory(),
    schemas: platformSchemas(createLogger({ service: 'test', level: 'silent' })),
    outputMasker: maskingInPlace,
    checkPermits: onePermit(),
    permits: onePermit(),
    clock: systemClock,
    timeoutMs: 60_000,
    ...o,
  };
}
