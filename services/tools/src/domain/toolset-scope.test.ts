import type { JsonObject } from '@fairlead/connector-model/json';
import { describe, expect, it } from 'vitest';
import { toolDefinition } from '../testing/fixtures.ts';
import { connection } from '../testing/tool-calls.ts';
import { toolset } from '../testing/toolsets.ts';
import type { Candidate } from './target.ts';
import { connectionsOfToolset, permittedTools, requireFixedFields } from './toolset-scope.ts';

const REFUSED: unknown = expect.objectContaining({ code: 'TOOL_NOT_IN_TOOLSET' });
const tool = (
  applicationSlug: string,
  retryClass: 'readOnly' | 'idempotent' | 'unsafe',
  isPlatform = true,
): Candidate => ({
  applicationSlug,
  isPlatform,
  definition: toolDefinition({ toolSlug: 'send', retryClass }),
});

describe('requireFixedFields', () => {
  const fixing = {
    readOnly: false,
    fixedFields: { send: { to: 'x' } },
    callsPerHour: null,
    requireApproval: [],
  };
  const sent = (fields: JsonObject, isPlatform: boolean) => () =>
    requireFixedFields(
      fixing,
      { toolSlug: 'send', aliases: [], identities: ['slug send'], isPlatform },
      fields,
    );

  it('refuses a tool of a server that lacks an input which the policy fixes', () => {
    expect(sent({ recipient: 'mine' }, false)).toThrow(REFUSED);
    expect(sent({ to: 'x' }, false)).not.toThrow();
  });

  it('passes one of the platform, of which the slug may mean several', () => {
    expect(sent({}, true)).not.toThrow();
  });
});

describe('permittedTools', () => {
  const candidates = [tool('crm', 'readOnly'), tool('mail', 'unsafe')];

  it('are those of the list, by application and slug; without a list all', () => {
    const mail = { applicationSlug: 'mail', toolSlug: 'send' };
    expect(permittedTools(toolset(), candidates)).toEqual(candidates);
    expect(permittedTools(toolset({ tools: [mail] }), candidates)).toEqual([candidates[1]]);
    for (const tools of [[], [{ ...mail, toolSlug: 'sends' }], [{ ...mail, applicationSlug: 'shop' }]])
      expect(() => permittedTools(toolset({ tools }), candidates)).toThrow(REFUSED);
  });

  it('are those that the list named when it was saved, wherever their slugs have gone', () => {
    const ofServer = (toolSlug: string, toolName: string): Candidate => ({
      applicationSlug: 'mcp-7',
      isPlatform: false,
      definition: toolDefinition({ toolSlug, execution: { type: 'mcp', toolName } }),
    });
    const listed = { applicationSlug: 'mcp-7', toolSlug: 'send', identity: 'mcp mcp-7 Send' };
    const moved = ofServer('send-1', 'Send');
    expect(permittedTools(toolset({ tools: [listed] }), [moved])).toEqual([moved]);
    for (const refused of [ofServer('send', 'send'), { ...moved, applicationSlug: 'mcp-8' }])
      expect(() => permittedTools(toolset({ tools: [listed] }), [refused])).toThrow(REFUSED);
  });

  it('are those that change nothing, if the policy is readOnly', () => {
    const policy = { readOnly: true, fixedFields: {}, callsPerHour: null, requireApproval: [] };
    expect(permittedTools(toolset({ policy }), candidates)).toEqual([candidates[0]]);
    for (const retryClass of ['idempotent', 'unsafe'] as const)
      expect(() => permittedTools(toolset({ policy }), [tool('crm', retryClass)])).toThrow(REFUSED);
    expect(() => permittedTools(toolset({ policy }), [tool('mcp-7', 'readOnly', false)])).toThrow(REFUSED);
  });
});

describe('connectionsOfToolset', () => {
  const own = (id: number, isDefault = false) => connection({ id, isDefault });
  const theirs = (id: number, endUserId: string, isDefault = false) =>
    connection({ id, endUserId, isDefault });
  const ids = (...found: Parameters<typeof connectionsOfToolset>[0]) =>
    connectionsOfToolset(found).map(({ id }) => id);

  it('are, for each application, the default one, else the one with the lowest id', () => {
    expect(ids(own(9), own(8), own(7))).toEqual([7]);
    expect(ids(own(7), own(8, true), own(9))).toEqual([8]);
    expect(ids(own(9), connection({ id: 3, applicationSlug: 'mail' }))).toEqual([9, 3]);
    expect(ids()).toEqual([]);
  });

  it('are an end user’s only if there is no other', () => {
    expect(ids(theirs(6, 'a', true), own(7))).toEqual([7]);
    expect(ids(theirs(6, 'a'), theirs(7, 'a', true))).toEqual([7]);
    expect(ids(theirs(6, 'a'), theirs(7, 'b', true))).toEqual([]);
  });
});
