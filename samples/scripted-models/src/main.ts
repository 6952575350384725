import { env, stdout } from 'node:process';
import { startScriptedModels } from './scripted-models.ts';

// Serves the scripted models until Ctrl-C. PORT: default 4010.
const { url } = await startScriptedModels(Number(env['PORT'] ?? '4010'));
stdout.write(`A scripted model answers in the place of OpenAI and Anthropic. In the terminal of your agent:

export OPENAI_BASE_URL=${url}/v1 OPENAI_API_KEY=scripted
export ANTHROPIC_BASE_URL=${url} ANTHROPIC_API_KEY=scripted
`);
