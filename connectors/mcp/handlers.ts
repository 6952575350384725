import type { Handler } from '@fairlead/connector-runtime/handler';
import { mcpHandlers } from '@fairlead/connector-runtime/mcp/handlers';

/** What the runtime does with the servers of every application of kind MCPClient. */
export const handlers: Readonly<Record<string, Handler>> = mcpHandlers;
