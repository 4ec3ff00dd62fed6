import type { Config } from '../../config/schema.ts';
import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import { modelApis } from '../../models/index.ts';
import type { ReadyModel } from '../../routing/services.ts';

/** The configured model, or undefined; an incomplete configuration is an error. */
export function readyModel({ model }: Pick<Config, 'model'>): ReadyModel | undefined {
  const api = modelApis.find((one) => one.id === model.provider);
  if (api === undefined) return undefined;
  if (model.model === undefined)
    throw new HeadgateError('invalid_config', '[model] model is not set.', {
      remediation: own`Set [model] model to a name that ${named(api.title)} knows.`,
    });
  const baseUrl = model.base_url ?? api.baseUrl;
  return { api, settings: { baseUrl, apiKey: model.api_key, model: model.model } };
}
