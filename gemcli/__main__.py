from gemcli.cli import main

raise SystemExit(main())
