import OpenAI from 'openai';

const at = (url) => new OpenAI({ apiKey: 'key', baseURL: `${url}/v1`, maxRetries: 0 });

export const origin = 'https://api.openai.com';
export const authenticationId = 0;
export const fields = { apiKey: 'key' };
export const cases = [
  {
    tool: 'openai-create-response',
    input: { model: 'gpt-5', input: 'Hello', max_output_tokens: 100 },
    sdk: (url) => at(url).responses.create({ model: 'gpt-5', input: 'Hello', max_output_tokens: 100 }),
  },
  {
    tool: 'openai-cancel-response',
    input: { response_id: 'resp_1' },
    sdk: (url) => at(url).responses.cancel('resp_1'),
  },
  {
    tool: 'openai-delete-response',
    input: { response_id: 'resp_1' },
    sdk: (url) => at(url).responses.delete('resp_1'),
  },
  { tool: 'openai-get-model', input: { model: 'gpt-5' }, sdk: (url) => at(url).models.retrieve('gpt-5') },
  { tool: 'openai-get-file', input: { file_id: 'f1' }, sdk: (url) => at(url).files.retrieve('f1') },
  { tool: 'openai-delete-file', input: { file_id: 'f1' }, sdk: (url) => at(url).files.delete('f1') },
  {
    tool: 'openai-create-vector-store',
    input: { name: 'Docs' },
    sdk: (url) => at(url).vectorStores.create({ name: 'Docs' }),
  },
  {
    tool: 'openai-search-vector-store',
    input: { vector_store_id: 'vs_1', query: 'price' },
    sdk: (url) => at(url).vectorStores.search('vs_1', { query: 'price', max_num_results: 10 }),
  },
  { tool: 'openai-cancel-batch', input: { batch_id: 'b1' }, sdk: (url) => at(url).batches.cancel('b1') },
];
