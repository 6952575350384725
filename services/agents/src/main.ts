import { loadConfig } from '@fairlead/service-kit/config';
import { runUntilSignal } from '@fairlead/service-kit/lifecycle/lifecycle';
import { buildApp } from './app.ts';
import { agentsConfig } from './config.ts';

await runUntilSignal('agents', () => buildApp(loadConfig(agentsConfig, process.env)));
