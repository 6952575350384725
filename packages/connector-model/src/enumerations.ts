// Members with a fixed set of values.

/** How connections to an application are created (row application.2). */
export const APPLICATION_KINDS = ['Regular', 'Key', 'OPA', 'MCPClient'] as const;
export type ApplicationKind = (typeof APPLICATION_KINDS)[number];

/** The places in an auth provider for a value (rows auth-provider.2 to 5). */
export const PROVIDER_SLOTS = [
  'Key1',
  'Key2',
  'Key3',
  'Key4',
  'Key5',
  'Key6',
  'Key7',
  'Key8',
  'Key9',
  'Key10',
  'ApiUser',
  'ApiPassword',
  'BaseUrl',
] as const;
export type ProviderSlot = (typeof PROVIDER_SLOTS)[number];

/** The way in which triggers of a type detect events (row completion.triggers.3). */
export const TRIGGER_KINDS = ['poll', 'schedule', 'webhook', 'system'] as const;
export type TriggerKind = (typeof TRIGGER_KINDS)[number];

/** The operators of filter conditions (row completion.applications-and-tools.29). */
export const FILTER_OPERATORS = [
  'eq',
  'ne',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'contains',
  'startsWith',
  'isNull',
] as const;
export type FilterOperator = (typeof FILTER_OPERATORS)[number];

/** The direction of a sort clause (row completion.applications-and-tools.31). */
export const SORT_DIRECTIONS = ['asc', 'desc'] as const;
export type SortDirection = (typeof SORT_DIRECTIONS)[number];
