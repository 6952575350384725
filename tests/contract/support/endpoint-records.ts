import { get, post } from './api.ts';
import { expectStatus } from './accounts.ts';
import { ownRecord } from './own-record.ts';
import type { RecordKind } from './record-kind.ts';

/** An MCP server. */
export const mcpServer: RecordKind = {
  async create(account) {
    const created = await post('/admin/v1/mcpservers', { name: 'Matrix' }, account);
    const id = String(expectStatus(created, 201).body.mcpServerToken);
    return { id, read: () => ownRecord(get(`/v1/mcpservers/${id}`, account)) };
  },
  unknown: 'mcp_0000000000000000000000',
  isSecret: true,
};

/** An on-prem agent. */
export const onPremAgent: RecordKind = {
  async create(account) {
    const sent = { applicationSlug: 'onprem-http', name: 'Matrix' };
    const id = Number(expectStatus(await post('/v1/on-prem-agents', sent, account), 201).body.id);
    return { id, read: () => ownRecord(get(`/v1/on-prem-agents/${id}`, account)) };
  },
  unknown: 2_147_483_647,
  isA: 'connection',
};
