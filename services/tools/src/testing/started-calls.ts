import { FlaggedFields } from '@fairlead/connector-runtime/secret-fields/secret-fields';
import { FROM_REST } from '../domain/call-origin.ts';
import type { CheckedCall } from '../domain/checked-call.ts';
import { connectorHead, toolDefinition } from './fixtures.ts';
import { connection } from './tool-calls.ts';

const NOON = new Date('2026-11-28T12:00:00.000Z');

/** A call of the platform tool of fixtures.ts that has its permit, unless overridden. */
export function startedCall(o: Partial<CheckedCall> = {}): CheckedCall {
  const definition = toolDefinition();
  const fields = { name: 'Ada' };
  return {
    target: {
      tool: { applicationSlug: connectorHead().slug, isPlatform: true, definition },
      connection: connection(),
      resolution: 'default',
    },
    inputs: { fields, filters: [], sorts: [], top: undefined, offset: undefined },
    origin: FROM_REST,
    readAt: NOON,
    maskedFields: { shown: new FlaggedFields({}, fields), secrets: [] },
    until: Date.now() + 60_000,
    info: (attempts) => ({
      startedAt: NOON,
      durationMs: 1,
      connectionId: 7,
      connectionResolution: 'default',
      applicationSlug: connectorHead().slug,
      toolSlug: definition.toolSlug,
      toolVersion: definition.version,
      attempts,
      userId: null,
      ...FROM_REST,
    }),
    ...o,
  };
}
