import { loadConfig } from '@fairlead/service-kit/config';
import { runUntilSignal } from '@fairlead/service-kit/lifecycle/lifecycle';
import { buildApp } from './app.ts';
import { toolsConfig } from './config.ts';

await runUntilSignal('tools', () => buildApp(loadConfig(toolsConfig, process.env)));
