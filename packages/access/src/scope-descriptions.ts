import type { Scope } from './permissions.ts';

/** The actions that each scope allows an application, in plain words and in display order. */
export const SCOPE_DESCRIPTIONS: Readonly<Record<Scope, string>> = {
  'tools.execute': 'Run tools: read and change data in the applications that are connected',
  'connections.read': 'See the connections',
  'connections.write': 'Add, change and remove connections',
  'tools.read': 'See tools, toolsets and workflows, and the execution history',
  'tools.write': 'Add, change and remove toolsets and workflows',
  'triggers.read': 'See triggers and their events',
  'triggers.write': 'Add, change and remove triggers',
  'mcpServers.read': 'See MCP servers',
  'mcpServers.write': 'Add, change and remove MCP servers',
  'agents.read': 'See on-premises agents',
  'agents.write': 'Add, change and remove on-premises agents',
  'authProviders.use': 'Connect applications through the sign-in clients of the account',
  'authProviders.create': 'Add sign-in clients (auth providers)',
  'authProviders.manage': 'Change and remove sign-in clients (auth providers)',
  administration: 'Administer the account: its users and their passwords, API keys, licences and limits',
};
