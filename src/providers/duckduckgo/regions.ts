import { countryCode } from '../../core/countries.ts';
import type { OwnText } from '../../core/text.ts';
import { asked, named, warned } from '../../core/own-text.ts';
import { languageCode } from '../kit/wanted.ts';

/** DuckDuckGo's regions: `country-language`, but for a few codes of its own. */
const REGIONS = partsOf(`
  ar-es at-de au-en be-fr be-nl bg-bg br-pt ca-en ca-fr ch-de ch-fr cl-es cn-zh co-es cz-cs de-de
  dk-da ee-et es-es es-ca fi-fi fr-fr uk-en gr-el hk-tzh hr-hr hu-hu id-en ie-en il-en in-en is-is
  it-it jp-jp kr-kr lt-lt lv-lv mx-es my-en nl-nl no-no nz-en pe-es ph-en pk-en pl-pl pt-pt ro-ro
  ru-ru xa-ar se-sv sg-en sl-sl sk-sk th-en tr-tr tw-tzh ua-uk us-en us-es vn-en za-en
`);
/** The region for a language alone. English, and languages without a region, have none. */
const HOME = partsOf(`
  xa-ar bg-bg ct-ca cz-cs dk-da de-de gr-el es-es ee-et fi-fi fr-fr hr-hr hu-hu is-is it-it jp-jp
  kr-kr lt-lt lv-lv nl-nl no-no pl-pl pt-pt ro-ro ru-ru sk-sk sl-sl se-sv tr-tr ua-uk cn-zh
`);

function partsOf(codes: string): { code: string; country: string; language: string }[] {
  const countries: Record<string, string> = { uk: 'gb', xa: 'sa', sl: 'si' };
  const languages: Record<string, string> = { tzh: 'zh', jp: 'ja', kr: 'ko' };
  return codes
    .trim()
    .split(/\s+/)
    .map((code) => {
      const [country = '', language = ''] = code.split('-');
      return {
        code,
        country: countries[country] ?? country,
        language: languages[language] ?? language,
      };
    });
}

interface Region {
  /** The value of the form's `kl`, when there is one. */
  code?: string;
  /** What part of the request could not be met. */
  warning?: OwnText;
}

/** The region closest to a country (code or name) and a language (ISO 639-1). */
export function regionFor(country: string | undefined, language: string | undefined): Region {
  const spoken = languageCode(language) ?? '';
  if (country === undefined) return language === undefined ? {} : regionForLanguage(language, spoken);
  const place = countryCode(country);
  const there = REGIONS.filter((region) => region.country === place);
  const [usual] = there;
  if (usual === undefined) {
    return { warning: warned`DuckDuckGo has no region for the country "${asked(country)}"; it was ignored.` };
  }
  const exact = there.find((region) => region.language === spoken);
  if (exact !== undefined) return { code: exact.code };
  const { code } = usual;
  if (language === undefined) return { code };
  return {
    code,
    warning: warned`DuckDuckGo has no region "${asked(country)}" in "${asked(language)}"; it searched "${named(code)}".`,
  };
}

function regionForLanguage(language: string, spoken: string): Region {
  const code = HOME.find((region) => region.language === spoken)?.code;
  const done = code === undefined ? `"${language}" was ignored` : `it searched the region "${code}"`;
  const warning = warned`DuckDuckGo filters by region, not by language; ${named(done)}.`;
  return code === undefined ? { warning } : { code, warning };
}

/** The Accept-Language header of a browser in this region; a requested language comes first. */
export function acceptLanguage(region: string, asked?: string): string {
  const home = REGIONS.find(({ code }) => code === region);
  const spoken = asked ?? (home ?? HOME.find(({ code }) => code === region))?.language ?? 'en';
  const country = home?.language === spoken ? home.country : spoken === 'en' ? 'us' : undefined;
  const own = country === undefined ? spoken : `${spoken}-${country.toUpperCase()},${spoken};q=0.8`;
  return spoken === 'en' ? own : `${own},en;q=0.5`;
}
