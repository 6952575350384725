import type { Handler } from '@fairlead/connector-runtime/handler';
import { mcpHandlers } from '@fairlead/connector-runtime/mcp/handlers';

/** The runtime's handlers for MCP servers, used by every application of kind MCPClient. */
export const handlers: Readonly<Record<string, Handler>> = mcpHandlers;
