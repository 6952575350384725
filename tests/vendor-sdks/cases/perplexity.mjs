import Perplexity from '@perplexity-ai/perplexity_ai';

const at = (url) => new Perplexity({ apiKey: 'key', baseURL: url, maxRetries: 0 });
const messages = [{ role: 'user', content: 'Hello' }];

export const origin = 'https://api.perplexity.ai';
export const authenticationId = 0;
export const fields = { apiKey: 'key' };
export const cases = [
  {
    tool: 'perplexity-ask-question',
    input: { messages, model: 'sonar-pro', search_mode: 'academic', search_recency_filter: 'week' },
    sdk: (url) =>
      at(url).chat.completions.create({
        messages,
        model: 'sonar-pro',
        search_mode: 'academic',
        search_recency_filter: 'week',
      }),
  },
  {
    tool: 'perplexity-search-web',
    input: { query: 'a b', max_results: 5, country: 'DE' },
    sdk: (url) => at(url).search.create({ query: 'a b', max_results: 5, country: 'DE' }),
  },
  {
    tool: 'perplexity-start-research',
    input: { messages, model: 'sonar-deep-research', reasoning_effort: 'low' },
    sdk: (url) =>
      at(url).async.chat.completions.create({
        request: { messages, model: 'sonar-deep-research', reasoning_effort: 'low' },
      }),
  },
  {
    tool: 'perplexity-get-research',
    input: { id: 'j1' },
    sdk: (url) => at(url).async.chat.completions.get('j1'),
  },
  {
    tool: 'perplexity-create-response',
    input: { input: 'Hello', model: 'openai/gpt-5.2', tools: [{ type: 'web_search' }], max_steps: 3 },
    sdk: (url) =>
      at(url).responses.create({
        input: 'Hello',
        model: 'openai/gpt-5.2',
        tools: [{ type: 'web_search' }],
        max_steps: 3,
      }),
  },
  {
    tool: 'perplexity-get-response',
    input: { id: 'r1' },
    sdk: (url) => at(url).responses.retrieve('r1'),
  },
  {
    tool: 'perplexity-cancel-response',
    input: { id: 'r1' },
    sdk: (url) => at(url).responses.cancel('r1'),
  },
  {
    tool: 'perplexity-list-response-files',
    input: { id: 'r1' },
    sdk: (url) => at(url).responses.files.list('r1'),
  },
  {
    tool: 'perplexity-create-embeddings',
    input: { input: ['a', 'b'], model: 'pplx-embed-v1-4b', dimensions: 256 },
    sdk: (url) =>
      at(url).embeddings.create({ input: ['a', 'b'], model: 'pplx-embed-v1-4b', dimensions: 256 }),
  },
  {
    tool: 'perplexity-embed-documents',
    input: { input: [['a', 'b']], model: 'pplx-embed-context-v1-4b' },
    sdk: (url) =>
      at(url).contextualizedEmbeddings.create({ input: [['a', 'b']], model: 'pplx-embed-context-v1-4b' }),
  },
];
