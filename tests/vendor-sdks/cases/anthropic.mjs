import Anthropic from '@anthropic-ai/sdk';

const at = (url) => new Anthropic({ apiKey: 'key', baseURL: url, maxRetries: 0 });
const messages = [{ role: 'user', content: 'Hello' }];

export const origin = 'https://api.anthropic.com';
export const authenticationId = 0;
export const fields = { apiKey: 'key' };
export const cases = [
  {
    tool: 'anthropic-create-message',
    input: { model: 'claude', messages },
    sdk: (url) => at(url).messages.create({ model: 'claude', messages, max_tokens: 1024 }),
  },
  {
    tool: 'anthropic-count-tokens',
    input: { model: 'claude', messages },
    sdk: (url) => at(url).messages.countTokens({ model: 'claude', messages }),
  },
  {
    tool: 'anthropic-get-model',
    input: { model_id: 'claude' },
    sdk: (url) => at(url).models.retrieve('claude'),
  },
  {
    tool: 'anthropic-get-message-batch',
    input: { message_batch_id: 'b1' },
    sdk: (url) => at(url).messages.batches.retrieve('b1'),
  },
  {
    tool: 'anthropic-cancel-message-batch',
    input: { message_batch_id: 'b1' },
    sdk: (url) => at(url).messages.batches.cancel('b1'),
  },
  {
    tool: 'anthropic-delete-message-batch',
    input: { message_batch_id: 'b1' },
    sdk: (url) => at(url).messages.batches.delete('b1'),
  },
];
