import { countryCode, countryName } from '../../core/countries.ts';

/** The countries that Tavily supports; it refuses all others. */
const COUNTRIES = new Set(
  `ad ae af al am ao ar at au az ba bb bd be bf bg bh bi bj bn bo br bs bt bw by bz ca cf cg ch cl cm cn co cr cu cv cy cz de dj
  dk do dz ec ee eg er es et fi fj fr ga gb ge gh gm gn gq gr gt hn hr ht hu id ie il in iq ir is it jm jo jp ke kg kh km kp kr
  kw kz lb li lk lr ls lt lu lv ly ma mc md me mg mk ml mm mn mr mt mu mv mw mx my mz na ne ng ni nl no np nz om pa pe pg ph pk
  pl pt py qa ro rs ru rw sa sd se sg si sk sn so ss sv sy td tg th tj tm tn tr tt tw tz ua ug us uy uz ve vn ye za zm zw`.split(
    /\s+/,
  ),
);

/** Tavily's name for a country that is given as a code or a name. */
export function tavilyCountry(country: string | undefined): string | undefined {
  const code = countryCode(country ?? '');
  return code !== undefined && COUNTRIES.has(code) ? countryName(code) : undefined;
}
