import { loadConfig } from '@fairlead/service-kit/config';
import { runUntilSignal } from '@fairlead/service-kit/lifecycle/lifecycle';
import { buildApp } from './app.ts';
import { mcpConfig } from './config.ts';

await runUntilSignal('mcp', () => buildApp(loadConfig(mcpConfig, process.env)));
