#!/usr/bin/env bash
# webtransport-go's client refuses any server without QUIC's reset_stream_at, which few have.
. "$(dirname "$0")/lib.sh"
server_pieces
webtransport_server
port=$(grep -m 1 -o '"port": [0-9]*' "$work/server.log" | tr -dc 0-9)

cat >"$work/main.go" <<'END'
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/quic-go/webtransport-go"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	transport := webtransport.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}
	_, _, err := transport.Dial(ctx, os.Args[1], nil)
	var unmet *webtransport.RequirementsNotMetError
	mark, status := "as stated ", 0
	if !errors.As(err, &unmet) {
		mark, status = "CHANGED   ", 10
	}
	fmt.Printf("%s a dial to aioquic, which browsers speak with, ends with: %v\n", mark, err)
	os.Exit(status)
}
END
go_build github.com/quic-go/webtransport-go@v0.13.0
judge "$work/finding" "https://127.0.0.1:$port/"
