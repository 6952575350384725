/** A text of the docs folder that is served to readers. */
export interface GuideEntry {
  /** Name of the file without `.md`, and of the page. */
  readonly name: string;
  /** One sentence: the reader's question that it answers. */
  readonly summary: string;
}

/** Every guide, in the order in which a newcomer needs them. A new text for users in docs/ gets a line here. */
export const GUIDES: readonly GuideEntry[] = [
  { name: 'walk', summary: 'Connect by OAuth, to a database and an MCP server; see a delivery that fails.' },
  { name: 'ai', summary: 'Give an AI agent tools, and approve its first call.' },
  { name: 'mcp', summary: 'Serve tools to Claude, Cursor, VS Code and other MCP clients.' },
  {
    name: 'on-prem',
    summary: 'Run tools in a network of your own, through an agent that you install there.',
  },
  {
    name: 'connect',
    summary: 'Let the customers of your product connect their applications on a hosted page.',
  },
  {
    name: 'restricted-keys',
    summary: 'Give an agent a key that may use one toolset, or has fewer permissions.',
  },
  { name: 'your-connector', summary: 'Write a connector for an API, or import its OpenAPI document.' },
  { name: 'guarantees', summary: 'How events are delivered, and what happens when a part fails.' },
  { name: 'rate-limits', summary: 'The budgets of an account, and how calls count against them.' },
  { name: 'limits', summary: 'The sizes and numbers that the platform accepts, and the error beyond each.' },
  {
    name: 'versioning',
    summary: 'See which changes of the API to expect, and how long a deprecated member goes on.',
  },
  {
    name: 'production',
    summary: 'Install on Kubernetes, with sizing, settings, upgrades, keys, backups and removal.',
  },
  { name: 'operations', summary: 'Run an installation: logs, metrics, traces, sign-in and erasure.' },
  { name: 'runbooks', summary: 'Find and remove the cause of an alert.' },
  { name: 'agent-channel', summary: 'The protocol between the platform and its on-prem agents.' },
];
