import { HeadgateError } from '../core/errors.ts';
import { asked, named, own } from '../core/own-text.ts';
import type { Command, CommandContext, Shape } from './command.ts';

/** The words that may follow each command or verb: `key`, `key create`. */
type Table = [path: string, words: string[]][];

const SHELLS: Record<string, (table: Table) => string> = { bash, zsh, fish };

/** Prints a completion script for a shell to load at start-up. */
export const command: Command = {
  usage: Object.keys(SHELLS).join('|'),
  words: 1,
  run: async ({ args, commands, print }) => {
    const [shell = ''] = args.words;
    const write = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
    if (write === undefined)
      throw new HeadgateError('invalid_request', own`Unknown shell "${asked(shell)}".`, {
        remediation: own`Use one of ${named(Object.keys(SHELLS).join(', '))}.`,
      });
    print(write(await tableOf(commands)));
    return 0;
  },
};

async function tableOf({ list, commonFlags }: CommandContext['commands']): Promise<Table> {
  const flagsOf = ({ flags = [] }: Shape): string[] =>
    [...flags, ...commonFlags].map(({ name }) => `--${name}`);
  const table: Table = [['', ['help', 'version', ...Object.keys(list)]]];
  for (const [name, { load }] of Object.entries(list)) {
    const { command: loaded } = await load();
    const verbs = Object.entries(loaded.verbs ?? {});
    table.push([name, [...verbs.map(([verb]) => verb), ...flagsOf(loaded)]]);
    for (const [verb, shape] of verbs) table.push([`${name} ${verb}`, flagsOf(shape)]);
  }
  return table;
}

/** Bash and Zsh take the same function; Zsh reads it through `bashcompinit`. */
function bash(table: Table): string {
  const cases = table.map(([path, words]) => `    '${path}') words='${words.join(' ')}' ;;`);
  return `# source <(headgate completion bash)
_headgate() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=''
  local one="\${COMP_WORDS[1]}" two="\${COMP_WORDS[1]} \${COMP_WORDS[2]}"
  [ "$COMP_CWORD" -le 1 ] && one='' two=''
  [ "$COMP_CWORD" -le 2 ] && two="$one"
  local path
  for path in "$one" "$two"; do
    case "$path" in
${cases.map((line) => `  ${line}`).join('\n')}
    esac
  done
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _headgate headgate
`;
}

function zsh(table: Table): string {
  const script = bash(table).replace('# source <(headgate completion bash)\n', '');
  return `# source <(headgate completion zsh)\nautoload -Uz bashcompinit && bashcompinit\n${script}`;
}

function fish(table: Table): string {
  const lines = table.map(([path, words]) => {
    const [name, verb] = path.split(' ');
    const seen = (word: string): string => `__fish_seen_subcommand_from ${word}`;
    const when =
      path === ''
        ? '__fish_use_subcommand'
        : verb === undefined
          ? seen(name ?? '')
          : `${seen(name ?? '')}; and ${seen(verb)}`;
    return `complete -c headgate -n '${when}' -a '${words.join(' ')}'`;
  });
  return `# headgate completion fish | source\n${lines.join('\n')}\n`;
}
